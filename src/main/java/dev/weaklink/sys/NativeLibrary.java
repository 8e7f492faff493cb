package dev.weaklink.sys;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A system library, called through java.lang.foreign. That API exists from Java 22 on and is used by reflection,
 * because weaklink is compiled for older versions. Parameters and results are integers and addresses.
 */
public final class NativeLibrary {
    public static final String INT = "JAVA_INT";

    /** The type {@code long}, {@code size_t}, {@code uint64_t} or address. */
    public static final String LONG = "JAVA_LONG";

    /**
     * The directories of 64-bit libraries. Given only a name, the system would also search LD_LIBRARY_PATH, and Java
     * the current directory.
     */
    private static final List<String> DIRECTORIES =
            List.of("/usr/lib64", "/lib64", "/usr/lib/%s-linux-gnu", "/lib/%s-linux-gnu", "/usr/lib");

    private static final String FOREIGN = "java.lang.foreign.";

    private final Object lookup;
    private final Method segment;
    private final Method address;

    private NativeLibrary(Path file) throws ReflectiveOperationException {
        Object arena = type("Arena").getMethod("global").invoke(null);
        lookup = type("SymbolLookup")
                .getMethod("libraryLookup", Path.class, type("Arena"))
                .invoke(null, file, arena);
        segment = type("MemorySegment").getMethod("ofBuffer", Buffer.class);
        address = type("MemorySegment").getMethod("address");
    }

    @FunctionalInterface
    public interface Binding<T> {
        /**
         * Links the functions.
         *
         * @throws ReflectiveOperationException if linking fails
         * @throws NoSuchElementException if the library lacks a function
         */
        T to(NativeLibrary library) throws ReflectiveOperationException;
    }

    /**
     * Returns the binding to the first library that exists and contains the required functions. Returns null if there
     * is no such library, or if Java cannot call native functions.
     */
    public static <T> @Nullable T find(Binding<T> binding, String... names) {
        try {
            Object here = NativeLibrary.class.getModule();
            if (!(Boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(here)) {
                return null;
            }
        } catch (ReflectiveOperationException e) {
            return null; // Java 21 or older
        }
        String machine = System.getProperty("os.arch", "");
        String triplet = machine.equals("amd64") ? "x86_64" : machine;
        for (String name : names) {
            for (String directory : DIRECTORIES) {
                Path file = Path.of(directory.replace("%s", triplet), name);
                T found = Files.exists(file) ? load(file, binding) : null;
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** Loads a library; returns null if it is for another architecture, is invalid, or lacks a required function. */
    private static <T> @Nullable T load(Path file, Binding<T> binding) {
        try {
            return binding.to(new NativeLibrary(file));
        } catch (ReflectiveOperationException | NoSuchElementException | LinkageError e) {
            return null;
        }
    }

    /**
     * Returns a function of the library.
     *
     * @param result {@link #INT} or {@link #LONG}, like the arguments
     * @throws ReflectiveOperationException if linking fails
     * @throws NoSuchElementException if the library lacks the function
     */
    public MethodHandle function(String result, String name, String... arguments) throws ReflectiveOperationException {
        Class<?> layout = type("MemoryLayout");
        Object layouts = Array.newInstance(layout, arguments.length);
        for (int i = 0; i < arguments.length; i++) {
            Array.set(layouts, i, value(arguments[i]));
        }
        Object descriptor = type("FunctionDescriptor")
                .getMethod("of", layout, layouts.getClass())
                .invoke(null, value(result), layouts);
        Optional<?> symbol = (Optional<?>)
                type("SymbolLookup").getMethod("find", String.class).invoke(lookup, name);
        Object options = Array.newInstance(type("Linker$Option"), 0);
        Class<?> linker = type("Linker");
        return (MethodHandle) linker.getMethod(
                        "downcallHandle", type("MemorySegment"), type("FunctionDescriptor"), options.getClass())
                .invoke(linker.getMethod("nativeLinker").invoke(null), symbol.orElseThrow(), descriptor, options);
    }

    /**
     * Returns the address of a direct buffer's next byte. The caller must keep the buffer reachable while the address
     * is in use.
     */
    public long address(Buffer buffer) {
        try {
            return (Long) address.invoke(segment.invoke(null, buffer));
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(FOREIGN + name);
    }

    private static Object value(String name) throws ReflectiveOperationException {
        return type("ValueLayout").getField(name).get(null);
    }
}
