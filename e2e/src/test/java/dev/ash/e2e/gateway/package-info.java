/** Tests of the gateway: the device protocol, connection drops, limits and malformed input. */
package dev.ash.e2e.gateway;
