/** Public interface of MicroRemed's experiments: its lists, its two commands and its log files. */
export { chooseExperiments } from './choose-experiments.ts'
export { loadMicroRemedList } from './load-micro-remed-list.ts'
export { planSeries, type Series } from './plan-series.ts'
export { type PlayedSeries, playExperiments } from './play-experiments.ts'
