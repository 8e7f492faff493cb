package dev.weaklink.system.initramfs;

import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/**
 * A module of an image, or the installed one that it is held against, read and unpacked.
 *
 * @param path in the image, or as seen from inside the root
 * @param name as modprobe(8) knows it, by the file's name
 * @param facts what the loader would look at, null if it could not be read
 * @param digest SHA-256 of the unpacked file in hexadecimal, empty if it could not be read
 * @param failure why it could not be read, null if it could
 */
public record PackedModule(
    String path,
    String name,
    @Nullable KernelModule facts,
    String digest,
    @Nullable String failure) {}
