package dev.weaklink.archive;

/**
 * A small file that was taken from a package.
 *
 * @param bytes as stored; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record HeldBytes(byte[] bytes) {}
