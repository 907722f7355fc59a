/** Whose failing endpoint usual journeys do ask for. */
export const isAskedFor = (_system: string, _service: string): boolean => true
