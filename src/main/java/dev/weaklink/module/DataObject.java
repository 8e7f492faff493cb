package dev.weaklink.module;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A variable of a module that holds pointers when it is loaded, such as a table of callbacks.
 *
 * @param name its name in the symbol table
 * @param size its size in bytes
 * @param slots where it holds pointers, ascending
 * @param passed what its address is passed to, as far as the code shows it
 */
public record DataObject(String name, long size, List<Slot> slots, List<Passed> passed) {
  public DataObject {
    slots = List.copyOf(slots);
    passed = List.copyOf(passed);
  }

  /**
   * A call.
   *
   * @param symbol the function, which is imported
   * @param argument which of its arguments, from 0 on
   */
  public record Passed(String symbol, int argument) {}

  /**
   * A pointer.
   *
   * @param offset its place in bytes
   * @param code whether it points to code of the module
   * @param name of the function there, or of what is imported; null for data, and for code without
   *     a name
   * @param object the number of the variable it points to, -1 for none that holds pointers
   */
  public record Slot(int offset, boolean code, @Nullable String name, int object) {}
}
