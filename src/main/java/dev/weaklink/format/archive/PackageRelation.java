package dev.weaklink.format.archive;

/**
 * What a package requires.
 *
 * @param name a package, file or capability such as {@code kernel(printk)}
 * @param operator {@code =}, {@code <}, {@code >}, {@code <=}, {@code >=} or {@code ~}; empty where
 *     no version is reported
 * @param version the version compared with, such as {@code 0x12345678}; empty without an operator
 */
public record PackageRelation(String name, String operator, String version) {}
