package dev.weaklink.system.cache;

import dev.weaklink.format.archive.HeldBytes;
import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.module.InternedNames;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import java.nio.BufferOverflowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What going through a package once gave.
 *
 * @param modules in its order, each path once
 * @param files of kernels, in its order, each path once
 * @param problems what was left out, and why
 * @param failure why it could not be read to its end, null if it could
 */
public record PackageFacts(
        List<PackagedModule> modules,
        List<KernelFile> files,
        List<Problem> problems,
        @Nullable String failure) {
    /**
     * One of a kernel's files, other than its modules.
     *
     * @param info the package it belongs to; in a bundle the innermost one
     * @param member its path, behind that of the package in a bundle that holds it
     * @param path normalised and absolute
     */
    public record KernelFile(PackageInfo info, String member, String path, HeldBytes bytes) {}

    /**
     * Something that was left out.
     *
     * @param subject the entry's name, unescaped; empty for the package itself
     */
    public record Problem(String subject, String message) {}

    /** What a package says of itself to those who read about its modules, null if nothing. */
    public static Origin.@Nullable Owner owner(PackageInfo info) {
        return info.name().isEmpty()
                ? null
                : new Origin.Owner(info.kind().id(), info.name(), info.version(), info.product());
    }

    /**
     * Takes what is found while a package is gone through, and holds it as it is kept: a kernel has thousands of
     * modules, of which few are asked for. What comes out is described at {@link PackageSegment}.
     */
    public static final class PackageFactsWriter {
        private static final int FIRST_ROOM = 1 << 16;
        private static final byte[] NO_FACTS = new byte[0];

        private final InternedNames names = new InternedNames();
        private final SegmentBytes room = new SegmentBytes(FIRST_ROOM);
        private final ModuleEncoder encoder = new ModuleEncoder(room, names);
        private final List<PackageFacts.Problem> problems = new ArrayList<>();
        private final Map<String, Module> modules = new LinkedHashMap<>();
        private final Map<String, KernelFile> files = new LinkedHashMap<>();
        private @Nullable String failure;

        private record Module(
                PackageInfo info,
                String container,
                String path,
                byte[] facts,
                @Nullable String failure,
                RuntimeNames runtime) {}

        private record KernelFile(PackageInfo info, String member, String path, byte[] contents) {}

        /** Takes a module; an earlier one of the same name in the package is forgotten. */
        public void module(PackageEntry entry, KernelModule module, RuntimeNames runtime) {
            room.rewind(0);
            try {
                encoder.write(module);
            } catch (BufferOverflowException e) {
                unreadable(entry, "it says more than can be held");
                return;
            }
            put(entry, Arrays.copyOf(room.array(), room.position()), null, runtime);
        }

        /** Takes a module that could not be read, and why. */
        public void unreadable(PackageEntry entry, String reason) {
            put(entry, NO_FACTS, reason, RuntimeNames.NONE);
        }

        private void put(PackageEntry entry, byte[] facts, @Nullable String reason, RuntimeNames runtime) {
            modules.put(
                    entry.member(), new Module(entry.owner(), entry.container(), entry.path(), facts, reason, runtime));
        }

        /** Takes a file of a kernel other than a module; an earlier one of the same name is forgotten. */
        public void file(PackageEntry entry, byte[] contents) {
            files.put(entry.member(), new KernelFile(entry.owner(), entry.member(), entry.path(), contents));
        }

        /** Takes what was left out, and why; the subject is empty for the package itself. */
        public void problem(String subject, String message) {
            problems.add(new PackageFacts.Problem(subject, message));
        }

        /** Takes why the package could not be read to its end. */
        public void failure(String reason) {
            failure = reason;
        }

        /** Whether something was found, and all of it. */
        boolean isWorthKeeping() {
            return failure == null && !(modules.isEmpty() && files.isEmpty());
        }

        /** All of it, in the order of a {@link PackageSegment}. */
        List<SegmentBytes> parts() {
            List<SegmentBytes> contents = new ArrayList<>(files.size() + modules.size());
            SegmentBytes head = new SegmentBytes(FIRST_ROOM);
            head.text(failure);
            head.i32(problems.size());
            for (PackageFacts.Problem problem : problems) {
                head.text(problem.subject());
                head.text(problem.message());
            }
            head.i32(files.size());
            for (KernelFile file : files.values()) {
                info(file.info(), head);
                head.text(file.member());
                head.text(file.path());
                head.i32(file.contents().length);
                contents.add(SegmentBytes.of(file.contents()));
            }
            head.i32(modules.size());
            PackageInfo last = null;
            for (Module module : modules.values()) {
                head.bool(module.info() == last);
                if (module.info() != last) {
                    last = module.info();
                    info(last, head);
                }
                head.text(module.container());
                head.text(module.path());
                head.text(module.failure());
                head.i32(module.facts().length);
                contents.add(SegmentBytes.of(module.facts()));
                head.texts(module.runtime().symbols());
            }
            SegmentBytes length = new SegmentBytes(Integer.BYTES);
            length.i32(head.position());
            List<SegmentBytes> parts = new ArrayList<>(List.of(SegmentWriter.bytes(names), length, head));
            parts.addAll(contents);
            return parts;
        }

        private static void info(PackageInfo owner, SegmentBytes out) {
            out.u8(owner.kind().ordinal());
            out.text(owner.name());
            out.text(owner.version());
            out.text(owner.product());
            out.i32(owner.requires().size());
            for (PackageRelation required : owner.requires()) {
                out.text(required.name());
                out.text(required.operator());
                out.text(required.version());
            }
        }
    }
}
