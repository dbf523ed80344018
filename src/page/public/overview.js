/** Says at the top of the page whether the shop can do its part, and fills the table of queues. */
export async function showOverview() {
  const { text, tone, queues } = await readHealth();
  const pill = document.getElementById('health');
  if (pill.textContent !== text) pill.textContent = text;
  pill.dataset.tone = tone;
  const rows = document.querySelector('#queues [data-part="rows"]');
  rows.replaceChildren(...Object.entries(queues).map(([name, depth]) => rowOf(name, depth)));
}

async function readHealth() {
  try {
    const response = await fetch('health/ready');
    const { details } = await response.json();
    const { status, queues = {}, problems = [] } = details.tasks;
    if (status === 'up') return { text: 'All is well', tone: 'good', queues };
    return { text: `Not ready: ${problems.join('; ')}`, tone: 'bad', queues };
  } catch {
    return { text: 'The server does not answer', tone: 'bad', queues: {} };
  }
}

function rowOf(name, { waiting, active, delayed, dead }) {
  const row = document.createElement('tr');
  row.append(Object.assign(document.createElement('th'), { textContent: name, scope: 'row' }));
  for (const number of [waiting, active, delayed, dead]) {
    row.append(Object.assign(document.createElement('td'), { textContent: number }));
  }
  return row;
}
