/** The layout of written YAML. */

export interface YamlLayout {
  readonly indent: number
  readonly width: number
  readonly sortsKeys: boolean
  /** If undefined, collections of scalars are written on one line. */
  readonly flow: boolean | undefined
}
