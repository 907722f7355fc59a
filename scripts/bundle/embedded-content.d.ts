/** The module that `embedFiles` generates. */
declare module 'virtual:embedded-content' {
  /** The texts of files, by their paths in the repository. */
  export const DATA: Readonly<Record<string, string>>
  /** Import modules, by their paths in the repository. */
  export const MODULES: Readonly<Record<string, () => Promise<unknown>>>
}
