@org.jspecify.annotations.NullMarked
package dev.weaklink.rebuild;
