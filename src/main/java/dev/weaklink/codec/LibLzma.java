package dev.weaklink.codec;

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
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The system's liblzma, which decodes xz in half the time that Java code takes. It is called by
 * java.lang.foreign, which is in Java from 22 on: by reflection, since this is compiled for older
 * ones, which decode xz in Java.
 *
 * <p>Functions take addresses and return an lzma_ret (lzma/base.h, lzma/container.h of xz 5.0 and
 * newer).
 */
final class LibLzma {
  /**
   * Where distributions have libraries of 64 bits. By a name alone the system would look in
   * LD_LIBRARY_PATH, and Java in the current directory.
   */
  private static final List<String> DIRECTORIES =
      List.of("/usr/lib64", "/lib64", "/usr/lib/%s-linux-gnu", "/lib/%s-linux-gnu", "/usr/lib");

  private static final String FOREIGN = "java.lang.foreign.";
  private static final String INT = "JAVA_INT";
  private static final String LONG = "JAVA_LONG";

  /** To find and link the library takes as long as Java code saves with so many packed bytes. */
  private static final long WORTHWHILE = 2 << 20;

  private static final AtomicLong MET = new AtomicLong();

  private final MethodHandle streamDecoder;
  private final MethodHandle code;
  private final MethodHandle memoryUsage;
  private final MethodHandle end;
  private final Method segment;
  private final Method address;

  private LibLzma(Path file) throws ReflectiveOperationException {
    Object arena = type("Arena").getMethod("global").invoke(null);
    Object library =
        type("SymbolLookup")
            .getMethod("libraryLookup", Path.class, type("Arena"))
            .invoke(null, file, arena);
    streamDecoder = function(library, INT, "lzma_stream_decoder", LONG, LONG, INT);
    code = function(library, INT, "lzma_code", LONG, INT);
    memoryUsage = function(library, LONG, "lzma_memusage", LONG);
    end = function(library, INT, "lzma_end", LONG);
    segment = type("MemorySegment").getMethod("ofBuffer", Buffer.class);
    address = type("MemorySegment").getMethod("address");
  }

  /** Looked for when it is first needed. */
  private static final class Loaded {
    static final @Nullable LibLzma LIBRARY = load();

    private Loaded() {}

    private static @Nullable LibLzma load() {
      try {
        Object here = LibLzma.class.getModule();
        if (!(Boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(here)) {
          return null;
        }
      } catch (ReflectiveOperationException e) {
        return null; // Java 21 or older
      }
      String machine = System.getProperty("os.arch", "");
      for (String directory : DIRECTORIES) {
        String triplet = machine.equals("amd64") ? "x86_64" : machine;
        Path file = Path.of(directory.replace("%s", triplet), "liblzma.so.5");
        LibLzma library = Files.exists(file) ? load(file) : null;
        if (library != null) {
          return library;
        }
      }
      return null;
    }

    /** Null if it is of another machine, or not what its name says. */
    private static @Nullable LibLzma load(Path file) {
      try {
        return new LibLzma(file);
      } catch (ReflectiveOperationException | NoSuchElementException | LinkageError e) {
        return null;
      }
    }
  }

  /**
   * The library, if it is there and worth its start.
   *
   * @param packed how many more bytes are to be decoded, as far as that is known
   */
  static @Nullable LibLzma forBytes(int packed) {
    return MET.addAndGet(packed) < WORTHWHILE ? null : Loaded.LIBRARY;
  }

  private static Class<?> type(String name) throws ClassNotFoundException {
    return Class.forName(FOREIGN + name);
  }

  private static MethodHandle function(
      Object library, String result, String name, String... arguments)
      throws ReflectiveOperationException {
    Class<?> layout = type("MemoryLayout");
    Object layouts = Array.newInstance(layout, arguments.length);
    for (int i = 0; i < arguments.length; i++) {
      Array.set(layouts, i, value(arguments[i]));
    }
    Object descriptor =
        type("FunctionDescriptor")
            .getMethod("of", layout, layouts.getClass())
            .invoke(null, value(result), layouts);
    Optional<?> symbol =
        (Optional<?>) type("SymbolLookup").getMethod("find", String.class).invoke(library, name);
    Object options = Array.newInstance(type("Linker$Option"), 0);
    Class<?> linker = type("Linker");
    return (MethodHandle)
        linker
            .getMethod(
                "downcallHandle",
                type("MemorySegment"),
                type("FunctionDescriptor"),
                options.getClass())
            .invoke(
                linker.getMethod("nativeLinker").invoke(null),
                symbol.orElseThrow(),
                descriptor,
                options);
  }

  private static Object value(String name) throws ReflectiveOperationException {
    return type("ValueLayout").getField(name).get(null);
  }

  /** Where a direct buffer lies. */
  long address(Buffer buffer) {
    try {
      return (Long) address.invoke(segment.invoke(null, buffer));
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }

  /** {@code lzma_stream_decoder(lzma_stream *, uint64_t memlimit, uint32_t flags)}. */
  int streamDecoder(long stream, long memory, int flags) {
    try {
      return (int) streamDecoder.invokeExact(stream, memory, flags);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** {@code lzma_code(lzma_stream *, lzma_action)}. */
  int code(long stream, int action) {
    try {
      return (int) code.invokeExact(stream, action);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** {@code lzma_memusage(const lzma_stream *)}: bytes that the decoder has or, refused, needs. */
  long memoryUsage(long stream) {
    try {
      return (long) memoryUsage.invokeExact(stream);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** {@code lzma_end(lzma_stream *)}, which returns nothing. */
  void end(long stream) {
    try {
      end.invoke(stream);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
