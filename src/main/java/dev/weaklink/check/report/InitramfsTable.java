package dev.weaklink.check.report;

import dev.weaklink.check.CheckedImage;
import dev.weaklink.check.CheckedModule;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.system.initramfs.ModuleState;
import java.util.ArrayList;
import java.util.List;

/** Initramfs images that were looked at, for people. */
public final class InitramfsTable {
  private static final int MOST = 20;

  private final Page page;

  public InitramfsTable(TableOptions options) {
    page = new Page(options);
  }

  /**
   * The whole text; to be used once.
   *
   * @param complete whether all could be read that the images are compared with
   */
  public String render(List<CheckedImage> images, boolean complete) {
    for (CheckedImage image : images) {
      page.gap();
      image(image, complete);
    }
    return page.text();
  }

  private void image(CheckedImage image, boolean complete) {
    String head =
        page.styled(Style.HEADING, Escape.text(image.path()))
            + " ("
            + Escape.text(image.kernel())
            + "): ";
    String failure = image.failure();
    if (failure != null) {
      page.line(head + page.styled(Style.UNSURE, "cannot be read: " + Escape.text(failure)));
      return;
    }
    page.line(head + Numbers.of(image.modules().size(), "module") + counts(image));
    modules(image);
    page.line(next(image, complete));
  }

  private String counts(CheckedImage image) {
    List<String> parts = new ArrayList<>();
    for (ModuleState state : ModuleState.values()) {
      int count = image.count(state);
      if (count > 0) {
        parts.add(page.styled(style(state), Numbers.grouped(count) + " " + words(state)));
      }
    }
    if (image.refused() > 0) {
      parts.add(page.styled(Style.BAD, Numbers.grouped(image.refused()) + " refused"));
    }
    return parts.isEmpty() ? "" : ": " + String.join(", ", parts);
  }

  private static Style style(ModuleState state) {
    return switch (state) {
      case SAME, SAME_BUILD -> Style.GOOD;
      case STALE, GONE -> Style.BAD;
      case UNREADABLE -> Style.UNSURE;
      case OTHER_KERNEL -> Style.FAINT;
    };
  }

  private static String words(ModuleState state) {
    return switch (state) {
      case SAME -> "as installed";
      case SAME_BUILD -> "of the same build";
      case STALE -> "stale";
      case GONE -> "no longer installed";
      case UNREADABLE -> "unreadable";
      case OTHER_KERNEL -> "of another kernel";
    };
  }

  private void modules(CheckedImage image) {
    int shown = 0;
    int left = 0;
    for (CheckedModule module : image.modules()) {
      if (isTelling(module)) {
        if (page.verbose() || shown < MOST) {
          module(module);
          shown++;
        } else {
          left++;
        }
      }
    }
    if (left > 0) {
      page.line("  and " + Numbers.of(left, "other module") + ": see --verbose");
    }
  }

  private boolean isTelling(CheckedModule module) {
    return module.state().isOutOfDate() || module.isRefused() || module.isUnknown();
  }

  private void module(CheckedModule module) {
    page.line(
        "  "
            + page.styled(style(module.state()), words(module.state()))
            + "  "
            + Escape.bytes(module.name())
            + "  "
            + page.styled(Style.FAINT, Escape.text(module.path())));
    if (module.detail() != null) {
      page.sentence(6, "", Escape.text(module.detail()));
    }
    Verdict verdict = module.verdict();
    if (verdict != null && verdict.outcome() != Outcome.COMPATIBLE) {
      boolean refused = verdict.outcome() == Outcome.INCOMPATIBLE;
      page.sentence(6, refused ? "refused:" : "undetermined:", VerdictReason.of(verdict));
    }
  }

  private static String next(CheckedImage image, boolean complete) {
    if (image.isToBeRenewed()) {
      return "Next: to renew it, " + Escape.text(image.renewal().words());
    }
    if (image.isForeign()) {
      return "Next: no module in it is for this kernel, so nothing was compared; see whether it is"
          + " its image.";
    }
    return image.isUnknown() || !complete
        ? "Next: nothing is known to be out of date; fix what is named above."
        : "Next: nothing to do.";
  }
}
