package dev.weaklink.format.btf;

import java.io.IOException;

/** Bytes that are not BTF, or whose types cannot be followed. */
public final class MalformedBtfException extends IOException {
  private static final long serialVersionUID = 1L;

  MalformedBtfException(String message) {
    super(message);
  }
}
