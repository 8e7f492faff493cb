package dev.weaklink.realkernel;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** Collects changed modules under labels such as {@code crc_one/dummy.ko}. */
final class Mutations {
    private final Function<String, byte[]> nativeModules;
    private final Map<String, byte[]> originals = new HashMap<>();
    private final Map<String, byte[]> files = new LinkedHashMap<>();

    /**
     * Creates an empty collection.
     *
     * @param nativeModules returns the file of a kernel's own module by its name
     */
    Mutations(Function<String, byte[]> nativeModules) {
        this.nativeModules = nativeModules;
    }

    /** Returns the module's original file, signature included. */
    byte[] original(String module) {
        return originals.computeIfAbsent(module, nativeModules).clone();
    }

    ModuleEditor edit(String module) {
        return new ModuleEditor(original(module));
    }

    /** Adds a file under a case name. */
    void add(String name, String module, byte[] file) {
        if (files.put(name + "/" + module + ".ko", file) != null) {
            throw new IllegalArgumentException("case " + name + " twice");
        }
    }

    /** Adds a changed module without signature. */
    void change(String name, String module, Consumer<ModuleEditor> change) {
        ModuleEditor editor = edit(module);
        change.accept(editor);
        add(name, module, editor.unsigned());
    }

    /** Adds a changed {@code dummy} without signature. */
    void change(String name, Consumer<ModuleEditor> change) {
        change(name, "dummy", change);
    }

    /** Returns all files by label, in the order in which they were added. */
    Map<String, byte[]> files() {
        return Collections.unmodifiableMap(files);
    }
}
