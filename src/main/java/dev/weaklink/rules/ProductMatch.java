package dev.weaklink.rules;

/**
 * The product that a unit belongs to, and why.
 *
 * @param product the product
 * @param origin the line with the pattern that matched; that of no rule if none did and the product
 *     is the generic one
 * @param evidence what matched, such as {@code package kmod-mlnx-en}; empty if nothing did
 */
public record ProductMatch(Product product, RuleOrigin origin, String evidence) {}
