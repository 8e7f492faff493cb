/** A Java program that does nothing: what any start of the virtual machine costs. */
final class Empty {
  private Empty() {}

  public static void main(String[] args) {}
}
