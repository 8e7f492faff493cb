package dev.weaklink.audit;

import dev.weaklink.audit.AuditReport.Action;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/** Actions as columns, for the same reason as {@link SetVerdicts}; can only be added to. */
final class PackedActions extends AbstractList<Action> implements RandomAccess {
  private static final SetStatus[] FATES = SetStatus.values();

  private byte[] fates = {};
  private int[] targets = {};
  private int[] sets = {};

  /** Product, nodes and command, which many share. */
  private @Nullable Object[] shared = {};

  private int size;

  /** Those of a list that is not changed any more. */
  static PackedActions of(List<Action> list) {
    if (list instanceof PackedActions packed) {
      return packed;
    }
    PackedActions packed = new PackedActions();
    packed.addAll(list);
    return packed;
  }

  @Override
  public boolean add(Action action) {
    if (size == fates.length) {
      int room = Math.max(16, size + size / 2);
      fates = Arrays.copyOf(fates, room);
      targets = Arrays.copyOf(targets, room);
      sets = Arrays.copyOf(sets, room);
      shared = Arrays.copyOf(shared, 3 * room);
    }
    fates[size] = (byte) action.fate().ordinal();
    targets[size] = action.target();
    sets[size] = action.set();
    shared[3 * size] = action.product();
    shared[3 * size + 1] = action.nodes();
    shared[3 * size + 2] = action.command();
    size++;
    modCount++;
    return true;
  }

  @Override
  public Action get(int place) {
    if (place >= size || !(shared[3 * place + 1] instanceof Nodes nodes)) {
      throw new IndexOutOfBoundsException(place);
    }
    String product = (String) shared[3 * place];
    String command = (String) shared[3 * place + 2];
    return new Action(FATES[fates[place]], targets[place], sets[place], product, nodes, command);
  }

  @Override
  public int size() {
    return size;
  }
}
