package dev.weaklink.rules;

/**
 * What happens when a kernel is installed or removed.
 *
 * @param mode what is done
 * @param initramfs whether an initramfs that has a module in it that changed is made anew
 */
public record Hooks(Decided<HookMode> mode, Decided<Boolean> initramfs) {
  /** What holds where no rule says otherwise. */
  public static final Hooks DEFAULT =
      new Hooks(Decided.byDefault(HookMode.APPLY), Decided.byDefault(true));
}
