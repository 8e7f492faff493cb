package dev.weaklink.audit;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one target says to sets, by their places: as numbers, since there may be many. */
public final class NumberedAnswers extends AbstractMap<Integer, SetAnswer> {
  /** More sets than this no plan has. */
  public static final int MOST_SETS = 1 << 24;

  private static final int PAGE = 1 << 8;

  private final AnswerStore store;

  /** One more than the number, so that 0 stands for none; those of some places that follow. */
  private int[][] pages = {};

  private int size;

  NumberedAnswers(AnswerStore store) {
    this.store = store;
  }

  /** Gives the set at this place the answer of a number; the place is less than MOST_SETS. */
  public void put(int set, int number) {
    int page = set / PAGE;
    if (page >= pages.length) {
      pages = Arrays.copyOf(pages, page + 1 + page / 2);
    }
    if (pages[page] == null) {
      pages[page] = new int[PAGE];
    }
    size += pages[page][set % PAGE] == 0 ? 1 : 0;
    pages[page][set % PAGE] = number + 1;
  }

  /** The number of the answer to the set at this place, -1 if there is none. */
  public int number(int set) {
    int page = set / PAGE;
    return page >= pages.length || pages[page] == null ? -1 : pages[page][set % PAGE] - 1;
  }

  /** The first place from this one on that has an answer, -1 if there is none. */
  public int next(int from) {
    for (int set = from; set / PAGE < pages.length; set++) {
      if (pages[set / PAGE] == null) {
        set |= PAGE - 1;
      } else if (number(set) >= 0) {
        return set;
      }
    }
    return -1;
  }

  @Override
  public @Nullable SetAnswer get(@Nullable Object set) {
    int number = set instanceof Integer place ? number(place) : -1;
    return number < 0 ? null : store.get(number);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Set<Map.Entry<Integer, SetAnswer>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Map.Entry<Integer, SetAnswer>> iterator() {
        return new Entries();
      }

      @Override
      public int size() {
        return size;
      }
    };
  }

  private final class Entries implements Iterator<Map.Entry<Integer, SetAnswer>> {
    private int set = NumberedAnswers.this.next(0);

    @Override
    public boolean hasNext() {
      return set >= 0;
    }

    @Override
    public Map.Entry<Integer, SetAnswer> next() {
      if (set < 0) {
        throw new NoSuchElementException();
      }
      Map.Entry<Integer, SetAnswer> entry = Map.entry(set, store.get(number(set)));
      set = NumberedAnswers.this.next(set + 1);
      return entry;
    }
  }
}
