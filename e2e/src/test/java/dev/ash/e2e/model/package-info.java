/**
 * Fake model APIs for real engines: they respond as scripted by the prompt and record all requests.
 */
package dev.ash.e2e.model;
