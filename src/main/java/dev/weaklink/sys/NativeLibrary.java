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
 * A library of the system, called by java.lang.foreign, which is in Java from 22 on: by reflection, since this is
 * compiled for older ones. Functions take and return whole numbers and addresses.
 */
public final class NativeLibrary {
    /** An {@code int}. */
    public static final String INT = "JAVA_INT";

    /** A {@code long}, {@code size_t}, {@code uint64_t} or address. */
    public static final String LONG = "JAVA_LONG";

    /**
     * Where distributions have libraries of 64 bits. By a name alone the system would look in LD_LIBRARY_PATH, and Java
     * in the current directory.
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

    /** What calls a library's functions. */
    @FunctionalInterface
    public interface Binding<T> {
        /**
         * Links the functions.
         *
         * @throws ReflectiveOperationException if that cannot be done, or a NoSuchElementException
         */
        T to(NativeLibrary library) throws ReflectiveOperationException;
    }

    /**
     * The first of the libraries of these names that has what is needed of it; null if there is none, or Java cannot
     * call it.
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

    /** Null if it is of another machine, or not what its name says. */
    private static <T> @Nullable T load(Path file, Binding<T> binding) {
        try {
            return binding.to(new NativeLibrary(file));
        } catch (ReflectiveOperationException | NoSuchElementException | LinkageError e) {
            return null;
        }
    }

    /**
     * One of its functions.
     *
     * @param result {@link #INT} or {@link #LONG}, and so are the arguments
     * @throws ReflectiveOperationException if it cannot be linked; a NoSuchElementException if it is not there
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

    /** Where the next byte of a direct buffer lies. As long as that is in use, keep the buffer reachable. */
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
