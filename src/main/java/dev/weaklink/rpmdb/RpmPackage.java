package dev.weaklink.rpmdb;

/**
 * An installed package.
 *
 * @param version with epoch, if there is one, and release
 * @param owns whether it owns any of the files that were asked about
 */
public record RpmPackage(String name, String version, String arch, boolean owns) {}
