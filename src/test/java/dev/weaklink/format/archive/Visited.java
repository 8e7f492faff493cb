package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A visitor that keeps all entries of a package and their contents. */
final class Visited implements EntryVisitor {
    final Map<String, PackageEntry> entries = new TreeMap<>();
    final Map<String, byte[]> contents = new TreeMap<>();
    final List<String> problems = new ArrayList<>();
    private final Predicate<String> wanted;

    private Visited(Predicate<String> wanted) {
        this.wanted = wanted;
    }

    static Visited none() {
        return new Visited(path -> false);
    }

    static Visited wanting(Predicate<String> wanted) {
        return new Visited(wanted);
    }

    static Visited all(Path file) throws IOException {
        return all(file, PackageLimits.DEFAULT);
    }

    static Visited all(Path file, PackageLimits limits) throws IOException {
        return new Visited(path -> true).of(file, limits);
    }

    Visited of(Path file) throws IOException {
        return of(file, PackageLimits.DEFAULT);
    }

    Visited of(Path file, PackageLimits limits) throws IOException {
        try (PackageFile open = PackageReader.open(file, limits)) {
            open.forEach(this);
        }
        return this;
    }

    String text(String member) {
        return new String(contents.getOrDefault(member, new byte[0]), StandardCharsets.UTF_8);
    }

    @Override
    public boolean wants(String path) {
        return wanted.test(path);
    }

    @Override
    public void visit(PackageEntry entry) throws IOException {
        entries.put(entry.member(), entry);
        if (entry.type() == EntryType.FILE) {
            contents.put(entry.member(), entry.contents().readAllBytes());
        }
    }

    @Override
    public void problem(String subject, String message) {
        problems.add(subject + ": " + message);
    }
}
