/**
 * True for `cargo xtask test --all`, the whole matrix, including tests that others make almost certain to
 * pass.
 */
export const all = Boolean(process.env.PLACET_TEST_ALL);
