/**
 * A stand-in for the model's API that real engines talk to: it says what the prompt tells it to
 * say, and remembers everything it was sent.
 */
package dev.ash.e2e.model;
