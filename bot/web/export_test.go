package web

// AtOnce is how many requests of one address may be open.
const AtOnce = atOnce
