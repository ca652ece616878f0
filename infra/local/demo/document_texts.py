"""The words of the sample documents, in a small markup: `#` heading, `|` table row, `-` item, `===` new page.

Company, products and people are invented.
"""

from __future__ import annotations

HANDBOOK = """
# Nordlicht HP-45 Operator Handbook
This handbook is for the people who run the Nordlicht HP-45, an air-to-water heat pump for workshops, schools
and apartment houses. It explains how to start the unit, what it needs during the year, and what its messages
mean. Installation and work on the refrigerant circuit are described in a separate manual for certified
technicians.
## What the unit does
The HP-45 takes heat from outside air and gives it to the heating water. It delivers 45 kilowatts at an outside
temperature of 2 degrees and a water temperature of 45 degrees. The refrigerant is propane (R290), 4.8 kilograms
of it, sealed in the outdoor unit.
## Safety first
Propane burns. Keep open flames, grinders and smokers at least three metres away from the outdoor unit. If you
smell gas, press the red emergency switch beside the door, leave the area and call the fire service. Never cover
the air outlet, and never stand on the grille.
===
## Starting the unit
Before the first start of a heating season, check that both ball valves on the water side are open and that the
pressure gauge shows between 1.5 and 2.0 bar. Then turn the main switch to ON and wait: the crankcase heater
needs four hours to warm the oil before the compressor may run. The display shows WARMING during this time. The
unit then starts by itself.
Do not shorten the warming time. A compressor that starts with cold oil loses its guarantee.
## Stopping the unit
For a short stop use the STANDBY key. The frost protection stays active in standby. For a stop of more than two
weeks in winter, drain the water circuit; the drain valve is behind the lower left panel.
===
## Running through the year
The unit works at outside temperatures from minus 22 to plus 35 degrees. Below minus 22 degrees it stops and the
electric back-up heater takes over.
In damp weather between minus 5 and plus 5 degrees ice forms on the air coil. The unit then defrosts for about
six minutes. Steam rises from it, and the fan stands still: this is normal. More than ten defrosts a day are not;
clean the coil.
## Noise
Between 22:00 and 6:00 the night mode limits the fan to 480 revolutions per minute. Night mode lowers the sound
at ten metres from 52 to 43 decibels, and the heat output to about 34 kilowatts.
===
## Maintenance
The operator does the first two tasks of this table. The others need a certified technician.
| Task | Interval | Done by |
| Clean the air filter of the control cabinet | every 3 months | operator |
| Rinse the air coil with water, without pressure | every 6 months | operator |
| Change the water strainer | every 12 months | technician |
| Check the refrigerant circuit for leaks | every 12 months | technician |
| Replace the safety valve | every 5 years | technician |
Keep the maintenance log beside the unit. Without a complete log the guarantee of seven years on the compressor
ends.
===
## Messages on the display
| Code | Meaning | What to do |
| E04 | Water pressure too low | Fill water until the gauge shows 1.8 bar |
| E11 | Outside sensor gives no value | Call service; the unit runs on with a default of 0 degrees |
| E23 | Air coil blocked | Remove leaves and snow, then press RESET |
| E37 | Compressor too hot | Wait one hour; if it comes again, call service |
| E52 | No contact with the gateway | Check the network cable; heating is not affected |
If a message is not in this table, note the code and the time and call the service line, +49 555 0100, which
answers every day from 7:00 to 20:00.
"""

TRAVEL_POLICY = """
# 北辰热能有限公司差旅管理办法
## 第一章 总则
第一条 为规范员工出差管理，合理控制差旅费用，制定本办法。本办法适用于公司全体正式员工和试用期员工。
第二条 出差应当事先审批。国内出差由部门经理审批；出国出差由总经理审批，并应当至少提前十五个工作日提出申请。
第三条 未经审批的出差，费用由本人承担。紧急抢修任务可以先出发，但应当在二十四小时内补办审批手续。
## 第二章 交通
第四条 员工出差优先乘坐高速铁路二等座。单程乘车时间超过六小时的，可以乘坐飞机经济舱。
第五条 市内交通实行包干，每人每天补助八十元，不再凭票报销。自驾车出差的，按每公里一元二角报销。
===
## 第三章 住宿
第六条 住宿费在下列标准以内凭票据实报销，超出部分由本人承担。
| 城市类别 | 普通员工 | 部门经理 | 总监以上 |
| 一类城市（北京、上海、广州、深圳） | 每晚500元 | 每晚650元 | 每晚900元 |
| 二类城市（省会城市） | 每晚380元 | 每晚480元 | 每晚700元 |
| 其他城市 | 每晚300元 | 每晚380元 | 每晚550元 |
第七条 两名同性普通员工同行的，一般应当合住标准间。在客户提供住宿的情况下，不得再报销住宿费。
## 第四章 餐费
第八条 国内出差餐费补助为每人每天一百二十元。会议主办方统一安排用餐的，当天补助减半发放。
===
## 第五章 报销
第九条 员工应当在返程后十个工作日内提交报销单。逾期超过三十天的，财务部不予受理。
第十条 报销单应当附上审批单、行程单和增值税发票。发票丢失的，应当提供开票方盖章的存根联复印件。
第十一条 财务部收到完整材料后，在五个工作日内将款项支付到员工工资卡。
## 第六章 附则
第十二条 本办法由人力资源部负责解释，自二〇二六年三月一日起施行。
"""

EMPLOYEE_FAQ = """
# Employee FAQ
Answers to what new colleagues at Nordlicht ask most. If something is missing, write to people@nordlicht.example.
## Working time
### What are the core hours?
Everybody is reachable from 10:00 to 15:00. The rest of the 38 hours a week can be placed between 6:00 and 20:00.
### May I work from home?
Yes, up to three days a week, as agreed with your team. Tell the front desk by noon of the day before if you need a
desk on a Friday, since half of the second floor is then used for training.
## Leave
### How many days of leave are there?
There are 30 days of paid leave in a calendar year, for a working week of five days. Up to 5 days that are left can be
taken until 31 March of the next year; after that they are lost.
### What other free days are there?
| Occasion | Free days | Paid |
| Your own wedding | 2 | yes |
| Birth of a child | 10 | yes |
| Moving house | 1 | yes |
| Volunteer fire service | as needed | yes |
| Sabbatical, after five years | up to 120 | no |
## Equipment
### My laptop was stolen. What now?
- Call the IT desk at once, at any hour, on extension 4477: the disk is then locked from afar.
- Report the theft to the police and keep the number of the report.
- You get a replacement on the next working day.
### Which phone contract do I get?
A contract with 20 gigabytes a month that may also be used privately within the European Union.
"""

DATA_SHEET = """
# 北辰HP系列空气源热泵 产品参数表
## 适用范围
HP系列热泵用于学校、车间和公寓的集中供暖和生活热水，室外机采用变频压缩机，制冷剂为R290。
## 主要参数
| 型号 | 制热量（千瓦） | 额定功率（千瓦） | 噪声（分贝） | 重量（千克） |
| HP-25 | 25 | 7.1 | 48 | 265 |
| HP-45 | 45 | 12.6 | 52 | 410 |
| HP-90 | 90 | 25.8 | 58 | 775 |
上表制热量的测试条件为室外干球温度2℃、出水温度45℃。
## 安装要求
- 室外机四周应当留出不小于1.5米的检修空间。
- 基础应当高出地面300毫米，积雪地区应当高出500毫米。
- 电源电缆长度超过50米时，截面积应当加大一级。
## 质保
整机质保三年，压缩机质保七年。用户应当在安装后三十天内完成在线注册，否则压缩机质保期按三年计算。
"""

RELEASE_NOTES = """# Nordlicht Gateway: release notes

The gateway connects heat pumps with the building's network and with the Nordlicht portal.

## 4.2.0 (12 May 2026)

### New

- **Tariff control.** The gateway reads hourly electricity prices and moves hot-water heating into the cheapest
  hours. Switch it on under *Settings → Tariffs*.
- BACnet/SC is supported next to Modbus TCP.

### Changed

- The default polling interval is now **15 seconds** (it was 60).
- Log files are kept for 90 days instead of 30.

### Fixed

- After a power failure the clock could stand still until the next restart.

## 4.1.3 (3 February 2026)

### Security

- The web interface accepted TLS 1.0. It now needs TLS 1.2 or later (advisory NL-2026-01).

### Upgrade

Gateways older than version 3.8 must be upgraded to 3.8 first:

```bash
# run on the gateway, as the user "service"
gatewayctl backup /var/backups/gateway.tar
gatewayctl upgrade --to 3.8
gatewayctl upgrade --to 4.1.3
```

## 4.1.0 (20 November 2025)

### New

- Up to 32 heat pumps on one gateway; before, the limit was 16.

### Known problems

| Problem | Way around |
|---|---|
| Charts are empty in Firefox 115 | use Firefox 128 or later |
| The weekly report is sent twice in the week of a clock change | ignore the second one |
"""

NIGHT_DUTY = """冷库夜间值守须知

一、交接班
晚班值守人员应当于二十点以前到岗，与中班当面交接钥匙、对讲机和巡检记录本。记录本上有未处理的报警时，双方应当到现场确认后签字。

二、巡检
每两小时巡检一次，全夜不少于五次。巡检时查看库温、压缩机油位和门封条。一号冷库的库温应当保持在零下十八度以下，二号冷库的库温应当保持在零度到四度之间。

三、报警处理
库温超过上限十五分钟仍未恢复的，立即通知制冷班长；三十分钟仍未恢复的，把货物转移到备用的三号冷库。闻到氨味时，先戴好防毒面具再进入机房，同时拨打公司应急电话8119。

四、安全
进入冷库应当两人同行，一人在门外守候。单次在库内停留不得超过二十分钟。库门内侧的求救按钮每周一早晨试验一次。
"""
