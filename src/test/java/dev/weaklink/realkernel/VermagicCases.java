package dev.weaklink.realkernel;

import java.util.function.UnaryOperator;

/** Modules whose {@code vermagic} differs from the kernel's. */
final class VermagicCases {
    private static final String KEY = "vermagic";

    private VermagicCases() {}

    static void addTo(Mutations mutations) {
        vermagic(mutations, "vm_release_other", VermagicCases::otherRelease);
        vermagic(mutations, "vm_release_empty", value -> value.substring(value.indexOf(' ')));
        vermagic(mutations, "vm_flags_rt", VermagicCases::realTime);
        vermagic(mutations, "vm_no_trailing_space", String::strip);
        vermagic(mutations, "vm_no_modversions", value -> value.replace("modversions ", ""));
        vermagic(mutations, "vm_only_release", value -> value.substring(0, value.indexOf(' ')));
        vermagic(mutations, "vm_extra_word", value -> value + "686 ");
        mutations.change("vm_missing", editor -> editor.dropInfo(KEY));
        mutations.change("vm_release_other_nover", editor -> {
            editor.infoValue(KEY, VermagicCases::otherRelease);
            editor.elf().rename("__versions", "__versionz");
        });
        mutations.change(
                "vm_twice_good_first", editor -> editor.info(entries -> entries.add(realTime(vermagicOf(entries)))));
        mutations.change(
                "vm_twice_bad_first", editor -> editor.info(entries -> entries.add(0, realTime(vermagicOf(entries)))));
    }

    private static void vermagic(Mutations mutations, String name, UnaryOperator<String> change) {
        mutations.change(name, editor -> editor.infoValue(KEY, change));
    }

    private static String otherRelease(String value) {
        return "9.9.9-zz" + value.substring(value.indexOf(' '));
    }

    private static String realTime(String value) {
        return value.replace(" preempt ", " preempt_rt ");
    }

    private static String vermagicOf(Iterable<String> entries) {
        for (String entry : entries) {
            if (entry.startsWith(KEY + "=")) {
                return entry;
            }
        }
        throw new IllegalArgumentException("no vermagic");
    }
}
