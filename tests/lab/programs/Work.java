// SPDX-License-Identifier: Apache-2.0
// Adds up an array for each byte that its standard input gets.
public class Work {
    public static void main(String[] arguments) throws Exception {
        double[] a = new double[1 << 20];
        java.util.Arrays.fill(a, 1);
        System.out.println("ready");
        while (System.in.read() >= 0) {
            double sum = 0;
            for (int pass = 0; pass < 3; pass++)
                for (int i = 0; i < a.length; i++)
                    sum += a[i];
            System.out.println((long) sum);
        }
    }
}
