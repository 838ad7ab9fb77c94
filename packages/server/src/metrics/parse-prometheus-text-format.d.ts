/** The package has no types of its own; this is what its README says of metrics that are no histograms. */
declare module 'parse-prometheus-text-format' {
  export default function parse(text: string): {
    name: string
    help: string
    type: string
    metrics: { value: string; labels?: Record<string, string> }[]
  }[]
}
