package dev.weaklink.module.signature;

import static dev.weaklink.sys.NativeLibrary.INT;
import static dev.weaklink.sys.NativeLibrary.LONG;

import dev.weaklink.sys.NativeLibrary;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Signatures verified by OpenSSL's libcrypto (1.1.0 and newer, openssl/evp.h). May be used by
 * several threads. What it confirms is so; what it does not confirm may only be refused by a policy
 * of the system's, such as FIPS, and is to be looked at by Java.
 */
final class LibCryptoSignatures {
  /** A signature of RSA with 16,384 bits, and a digest. */
  private static final int ROOM = 4 << 10;

  private static final int OK = 1;

  /** EVP_PKEY_CTRL_MD. */
  private static final int DIGEST = 1;

  /** Of keys, and of operations, whose numbers differ between versions. */
  private static final int ANY = -1;

  private final NativeLibrary library;
  private final MethodHandle readKey;
  private final MethodHandle digestByName;
  private final MethodHandle create;
  private final MethodHandle init;
  private final MethodHandle control;
  private final MethodHandle verify;
  private final MethodHandle free;
  private final Queue<ByteBuffer> idle = new ConcurrentLinkedQueue<>();

  private LibCryptoSignatures(NativeLibrary library) throws ReflectiveOperationException {
    this.library = library;
    readKey = library.function(LONG, "d2i_PUBKEY", LONG, LONG, LONG);
    digestByName = library.function(LONG, "EVP_get_digestbyname", LONG);
    create = library.function(LONG, "EVP_PKEY_CTX_new", LONG, LONG);
    init = library.function(INT, "EVP_PKEY_verify_init", LONG);
    control = library.function(INT, "EVP_PKEY_CTX_ctrl", LONG, INT, INT, INT, INT, LONG);
    verify = library.function(INT, "EVP_PKEY_verify", LONG, LONG, LONG, LONG, LONG);
    free = library.function(INT, "EVP_PKEY_CTX_free", LONG);
  }

  /** Those of the system's library, null if it has none that Java can call. */
  static @Nullable LibCryptoSignatures find() {
    return NativeLibrary.find(LibCryptoSignatures::new, "libcrypto.so.3", "libcrypto.so.1.1");
  }

  /**
   * A public key, which is held for good: a kernel trusts a handful.
   *
   * @param info DER of its SubjectPublicKeyInfo
   * @return 0 if the library cannot use it
   */
  long key(byte[] info) {
    ByteBuffer buffer =
        ByteBuffer.allocateDirect(Long.BYTES + info.length).order(ByteOrder.nativeOrder());
    long address = library.address(buffer);
    buffer.putLong(address + Long.BYTES).put(info);
    try {
      return (long) readKey.invokeExact(0L, address, (long) info.length);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  /**
   * Whether a signature is confirmed to be by a key.
   *
   * @param digest as OpenSSL and Java name it, such as SHA256, of which {@code value} is one
   */
  boolean confirms(long key, String digest, byte[] value, byte[] signature) {
    if (value.length + signature.length > ROOM) {
      return false;
    }
    ByteBuffer used = idle.poll();
    ByteBuffer buffer = used != null ? used : ByteBuffer.allocateDirect(ROOM);
    try {
      return confirms(key, digest, value, signature, buffer);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    } finally {
      idle.add(buffer);
    }
  }

  private boolean confirms(
      long key, String digest, byte[] value, byte[] signature, ByteBuffer buffer) throws Throwable {
    long address = library.address(buffer.clear());
    buffer.put(digest.getBytes(StandardCharsets.US_ASCII)).put((byte) 0);
    long type = (long) digestByName.invokeExact(address);
    long context = type == 0 ? 0 : (long) create.invokeExact(key, 0L);
    if (context == 0) {
      return false;
    }
    try {
      buffer.clear().put(value).put(signature);
      long after = address + value.length;
      return (int) init.invokeExact(context) == OK
          && (int) control.invokeExact(context, ANY, ANY, DIGEST, 0, type) == OK
          && (int)
                  verify.invokeExact(
                      context, after, (long) signature.length, address, (long) value.length)
              == OK;
    } finally {
      free.invoke(context);
    }
  }
}
