package dev.weaklink.links.transaction;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The index files of one kernel at one time.
 *
 * @param marks for each file that was there, something by which to recognise its content
 */
record IndexSet(String kernel, SortedMap<String, String> marks) {
  IndexSet(String kernel, Map<String, String> marks) {
    this(kernel, new TreeMap<>(marks));
  }
}
