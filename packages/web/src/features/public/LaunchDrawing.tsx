const slope = Math.tan((15 * Math.PI) / 180)
const rampY = (x: number) => 64.1 + (x - 8) * slope
const groundY = 318

const posts = [20, 110, 200, 290, 380, 470, 560]
const stages = [
  { x: 96, label: 'Create VM' },
  { x: 232, label: 'Root disk' },
  { x: 368, label: 'Kernel' },
  { x: 504, label: 'Network' },
]

/** A machine slides down the ramp from phantom to solid, and floats: the drawing of the landing page. */
export function LaunchDrawing() {
  const text = 'font-mono text-[13px] phone:text-[25px]'
  return (
    <svg
      viewBox="0 0 760 384"
      role="img"
      aria-label="A virtual machine slides down a slipway from Create VM to SSH in about 10 s"
      fill="none"
      className="h-auto w-full overflow-visible"
    >
      <g className="stroke-line">
        {posts.map((x, index) => (
          <path key={x} d={`M${x} ${rampY(x)}V${groundY}${braceTo(posts[index + 1])}`} />
        ))}
      </g>
      <path d="M8 318H574" className="stroke-line-control" />
      <path d={`M8 ${rampY(8)}L592 ${rampY(592)}`} strokeWidth="2" className="stroke-ink" />

      {stages.map(({ x, label }, index) => (
        <g
          key={label}
          className="motion-safe:animate-[appear_300ms_ease-out_backwards]"
          style={{ animationDelay: `${index * 200}ms` }}
        >
          <g
            transform={`translate(${x} ${rampY(x)}) rotate(15)`}
            className="fill-ground stroke-line-control"
            strokeDasharray="9 3 2 3"
          >
            <rect x="-40" y="-50" width="80" height="46" rx="2" />
            <path d="M-40 -27H40M-30 -38.5h14M-30 -15.5h14" />
            <circle cx="29" cy="-38.5" r="2.6" strokeDasharray="none" />
            <circle cx="29" cy="-15.5" r="2.6" strokeDasharray="none" />
          </g>
          <path d={`M${x + 8} ${rampY(x) - 60}v-20`} className="stroke-ink-3" />
          <text x={x + 14} y={rampY(x) - 72} className={`fill-ink-2 ${text}`}>
            {label}
          </text>
        </g>
      ))}

      <path
        d="M588 222H616M708 222H756M600 230H614M710 230H744M624 238H734M644 246H716m13-37 7 11 7-11Z"
        strokeWidth="1.25"
        className="stroke-accent"
      />
      <g className="motion-safe:animate-[launch_500ms_ease-out_700ms_backwards]">
        <g transform="translate(662 232)">
          <rect x="-44" y="-50" width="88" height="50" rx="2" className="fill-accent" />
          <path d="M-44 -25H44M-33 -37.5h16M-33 -12.5h16" strokeWidth="1.5" className="stroke-ground" />
          <circle cx="32" cy="-37.5" r="2.8" className="fill-ground" />
          <circle cx="32" cy="-12.5" r="2.8" className="fill-ground" />
        </g>
        <path d="M670 174v-24" className="stroke-accent" />
        <text x="676" y="160" className={`fill-accent ${text}`}>
          SSH
        </text>
      </g>

      <path d="M96 330v38M662 256v112M88 358H670" className="stroke-ink-3" />
      <path d="m91 363 10-10M657 363l10-10" strokeWidth="1.75" className="stroke-ink" />
      <rect x="322" y="344" width="114" height="28" className="fill-ground phone:hidden" />
      <rect x="278" y="344" width="202" height="28" className="hidden fill-ground phone:inline" />
      <text x="379" y="363" textAnchor="middle" className="fill-ink font-mono text-[14px] phone:text-[27px]">
        about 10 s
      </text>
    </svg>
  )
}

function braceTo(next: number | undefined): string {
  return next === undefined ? '' : `L${next} ${rampY(next)}`
}
