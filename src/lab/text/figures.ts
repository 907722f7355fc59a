/** Formats figures for tables; an undefined figure is a dash. */

/** `share` is 0 to 1. */
export const percent = (share: number | undefined): string =>
  share === undefined ? '-' : `${(share * 100).toFixed(1)} %`

export const seconds = (ms: number | undefined): string =>
  ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`

/** A share in percent, or a fraction with two decimals. */
export const figure = (value: number | undefined, format: 'percent' | 'fraction' = 'percent'): string =>
  format === 'percent' ? percent(value) : (value?.toFixed(2) ?? '-')
