/**
 * Tests against real distribution kernels and against what such kernels answered themselves. Black
 * box: the built program is run and its NDJSON is read. Run with {@code mvn -Preal-kernels verify}.
 */
package dev.weaklink.realkernel;
