/** Whether the whole matrix is wanted, also what other tests make all but certain: `cargo xtask test --all`. */
export const all = Boolean(process.env.PLACET_TEST_ALL);
