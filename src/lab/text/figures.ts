/** Formats figures for tables; an undefined figure is shown as a dash. */

/** `share` is between 0 and 1. */
export const percent = (share: number | undefined): string =>
  share === undefined ? '-' : `${(share * 100).toFixed(1)} %`

export const seconds = (ms: number | undefined): string =>
  ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`

/** Formats a share as a percentage, or as a fraction with two decimals. */
export const figure = (value: number | undefined, format: 'percent' | 'fraction' = 'percent'): string =>
  format === 'percent' ? percent(value) : (value?.toFixed(2) ?? '-')
