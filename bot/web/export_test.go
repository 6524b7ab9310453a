package web

// AtOnce makes the limit of open requests of an address available to tests.
const AtOnce = atOnce
