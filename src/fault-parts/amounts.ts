/** Amounts of CPU and memory as manifests write them. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
}

/** Cores, or bytes; nothing where it is absent or of an unknown unit. */
export const toAmount = (quantity: string | undefined): number | undefined => {
  const [, number, unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(quantity ?? '') ?? []
  return number === undefined || UNITS[unit] === undefined ? undefined : Number(number) * UNITS[unit]
}

/** Of cores: `0.25` is `250m`. */
export const toCpu = (cores: number): string => `${Math.max(1, Math.round(cores * 1000))}m`

/** Of bytes, in MiB. */
export const toMemory = (bytes: number): string => `${Math.max(1, Math.round(bytes / 2 ** 20))}Mi`
