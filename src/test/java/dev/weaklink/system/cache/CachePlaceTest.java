package dev.weaklink.system.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CachePlaceTest {
    @TempDir
    Path directory;

    @Test
    void followsTheXdgSpecification() {
        assertThat(CachePlace.directory(Map.of("HOME", "/home/u"), 1000)).isEqualTo(Path.of("/home/u/.cache/weaklink"));
        assertThat(CachePlace.directory(Map.of("HOME", "/home/u", "XDG_CACHE_HOME", "/c"), 1000))
                .isEqualTo(Path.of("/c/weaklink"));
        assertThat(CachePlace.directory(Map.of("HOME", "/home/u", "XDG_CACHE_HOME", "c"), 1000))
                .isEqualTo(Path.of("/home/u/.cache/weaklink"));
    }

    @Test
    void rootDoesNotUseTheHomeOfWhoeverBecameRoot() {
        assertThat(CachePlace.directory(Map.of("HOME", "/home/u", "XDG_CACHE_HOME", "/c"), 0))
                .isEqualTo(Path.of("/var/cache/weaklink"));
    }

    @Test
    void usesNoCacheWithoutAHome() {
        assertThat(CachePlace.directory(Map.of(), 1000)).isNull();
        assertThat(CachePlace.directory(Map.of("HOME", "home"), 1000)).isNull();
    }

    @Test
    void acceptsOnlyAnAbsoluteDirectory() {
        assertThat(CachePlace.directory(Map.of("WEAKLINK_CACHE", "/d"), 0)).isEqualTo(Path.of("/d"));
        assertThat(CachePlace.directory(Map.of("WEAKLINK_CACHE", "d", "HOME", "/h"), 1000))
                .isNull();
    }

    @Test
    void offIsNoCache() {
        assertThat(CachePlace.open(Map.of("WEAKLINK_CACHE", "off", "HOME", "/home/u"), null))
                .isSameAs(FactsCache.NONE);
    }

    @Test
    void usesNoCacheInsideTheImage() throws IOException {
        Path image = Files.createDirectory(directory.resolve("image"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), image);

        assertThat(CachePlace.isIn(image, image.resolve("var/cache/weaklink"))).isTrue();
        assertThat(CachePlace.isIn(image, link.resolve("cache"))).isTrue();
        assertThat(CachePlace.isIn(link, image)).isTrue();
        assertThat(CachePlace.isIn(image, directory.resolve("image-cache"))).isFalse();
        assertThat(CachePlace.isIn(Path.of("/"), Path.of("/var/cache/weaklink")))
                .isFalse();
    }

    @Test
    void digestDiffersIfAnyClassDiffers() throws IOException {
        long one = CachePlace.program(jar("one.jar", "code").toString());

        assertThat(one).isNotZero();
        assertThat(CachePlace.program(jar("same.jar", "code").toString())).isEqualTo(one);
        assertThat(CachePlace.program(jar("other.jar", "cOde").toString())).isNotEqualTo(one);
    }

    @Test
    void computesNoDigestWithoutASingleJar() throws IOException {
        Path junk = Files.writeString(directory.resolve("junk.jar"), "no jar at all, but long enough");
        Path empty = Files.writeString(directory.resolve("empty.jar"), "");

        assertThat(CachePlace.program("/classes")).isZero();
        assertThat(CachePlace.program("/a.jar:/b.jar")).isZero();
        assertThat(CachePlace.program(junk.toString())).isZero();
        assertThat(CachePlace.program(empty.toString())).isZero();
    }

    private Path jar(String name, String contents) throws IOException {
        Path file = directory.resolve(name);
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            ZipEntry entry = new ZipEntry("A.class");
            entry.setTime(0);
            zip.putNextEntry(entry);
            zip.write(contents.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            zip.closeEntry();
        }
        return file;
    }
}
