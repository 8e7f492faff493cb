package dev.weaklink.format.archive;

import org.jspecify.annotations.Nullable;

/**
 * What a package of apk's third format lists.
 *
 * @param directory number of its directory, from 1
 * @param number its number in the directory, from 1; 0 for the directory itself
 * @param entry what it is; null for a device or pipe
 * @param digest of its contents; null where none is stated
 */
record Apk3Entry(
    int directory, int number, @Nullable RawEntry entry, @Nullable ContentDigest digest) {}
