package web

// AtOnce is the maximum number of open requests of an address.
const AtOnce = atOnce
