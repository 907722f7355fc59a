/** Figures as tables show them; what is not known is a dash. */

/** Of a share, 0 to 1. */
export const percent = (share: number | undefined): string =>
  share === undefined ? '-' : `${(share * 100).toFixed(1)} %`

export const seconds = (ms: number | undefined): string =>
  ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`
