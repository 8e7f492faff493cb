package dev.weaklink.rebuild.run;

import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.sys.RootText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The compiler and the linker that a kernel's build tree names for modules. kbuild and DKMS run these programs even if
 * other versions are the system's default.
 *
 * @param compiler the compiler's name, such as gcc, gcc-12 or clang
 * @param linker the linker's name, such as ld or ld.lld
 */
record Toolchain(String compiler, String linker) {
    private static final int LIMIT = 4 << 20;

    static Toolchain of(Path buildTree) {
        KernelConfig config = config(buildTree);
        String compiler = debian(buildTree);
        if (compiler.isEmpty()) {
            compiler = config != null && config.isSet("CC_IS_CLANG") ? "clang" : "gcc";
        }
        return new Toolchain(compiler, config != null && config.isSet("LD_IS_LLD") ? "ld.lld" : "ld");
    }

    /** Returns the configuration in the build tree; null if there is none. */
    static @Nullable KernelConfig config(Path buildTree) {
        byte[] text = RootText.read(buildTree.resolve(".config"), LIMIT).getBytes(StandardCharsets.UTF_8);
        return text.length == 0 ? null : new KernelConfig(text, text.length);
    }

    /**
     * Returns the compiler that Debian's headers name in {@code .kernelvariables}; an empty string for any name but gcc
     * or clang, with or without a version. Other names are not trusted, because any user may have made the headers.
     */
    private static String debian(Path buildTree) {
        for (String line :
                RootText.read(buildTree.resolve(".kernelvariables"), LIMIT).split("\n", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0
                    && List.of("CC", "override CC")
                            .contains(line.substring(0, equals).strip())) {
                String name = line.substring(Math.max(line.lastIndexOf(')'), equals) + 1)
                        .strip();
                return isCompiler(name) ? name : "";
            }
        }
        return "";
    }

    private static boolean isCompiler(String name) {
        String version =
                name.startsWith("gcc") ? name.substring(3) : name.startsWith("clang") ? name.substring(5) : "x";
        return version.isEmpty()
                || version.startsWith("-") && version.substring(1).chars().allMatch(Character::isDigit);
    }

    List<String> programs() {
        return List.of(compiler, linker);
    }
}
