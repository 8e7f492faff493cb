package dev.weaklink.system.offers;

/**
 * A package that a repository offers.
 *
 * @param version with epoch and release, as its package manager writes it
 */
public record OfferedPackage(String name, String version, String architecture) {}
