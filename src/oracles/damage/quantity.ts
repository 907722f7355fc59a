/** An amount as Kubernetes writes it, `200m` or `64Mi`, as a number. */
const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}
const FORM = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/

/** NaN where it is none, which is neither more nor less than anything. */
export const quantity = (text: unknown): number => {
  const [, number, suffix] = FORM.exec(String(text)) ?? []
  return Number(number) * (SUFFIXES[suffix ?? ''] ?? Number.NaN)
}
