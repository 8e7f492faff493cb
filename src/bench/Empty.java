/** A Java program that does nothing, to measure the start of the virtual machine. */
final class Empty {
  private Empty() {}

  public static void main(String[] args) {}
}
