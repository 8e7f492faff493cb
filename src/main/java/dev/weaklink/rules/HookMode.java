package dev.weaklink.rules;

/** What happens when a kernel is installed or removed. */
public enum HookMode {
  /** Links are planned and made. */
  APPLY,
  /** It is said what would be done, and nothing is. */
  REPORT,
  /** Nothing. */
  OFF
}
